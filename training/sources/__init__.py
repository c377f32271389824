"""Every source of training text; each module reads one family of them."""

from source import Source
from sources import (
    english,
    english_pairs,
    korean,
    korean_guides,
    korean_public,
    korean_spoken,
    own,
    parallel,
    parallel_docs,
)

SOURCES: tuple[Source, ...] = (
    *own.SOURCES,
    *korean.SOURCES,
    *korean_public.SOURCES,
    *korean_guides.SOURCES,
    *korean_spoken.SOURCES,
    *english.SOURCES,
    *english_pairs.SOURCES,
    *parallel.SOURCES,
    *parallel_docs.SOURCES,
)
