"""What runs inside the jail: no other module of this project, and of others the standard library.

`suite` alone needs pytest. A bare interpreter imports this folder as the package ``inside``;
outside, only `encoding` and `syntax` are imported, by their full names.
"""
