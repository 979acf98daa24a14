"""What runs inside the jail: standard library only, no other module of this project.

A bare interpreter (no site packages) imports this folder as the package ``inside``; outside, only
`encoding` is imported, by its full name.
"""
