"""Code that runs inside the jail. It imports only itself and the standard library.

Only `suite` needs pytest. A bare interpreter imports this folder as the package ``inside``. Outside
the jail, only `encoding` and `syntax` are imported, by their full names.
"""
