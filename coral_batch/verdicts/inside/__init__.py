"""What runs inside the jail: standard library only, no other module of this project.

A bare interpreter (no site packages) imports this folder as the package ``inside``; outside, only
`encoding` and `syntax` are imported, by their full names.
"""
