from collections import Counter
from urllib.parse import urlparse


def link_hosts(links):
    """Return the hosts of links with how often each comes, as "host count",
    in order of host; a link without a host is left out.
    """
    hosts = Counter()
    for link in links:
        host = urlparse(link).hostname
        if host:
            hosts[host.removeprefix("www.")] += 1
    return [f"{host} {hosts[host]}" for host in sorted(hosts)]
