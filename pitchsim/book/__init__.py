"""The book of hands: every class of six cards, made in shards, kept in one file, and asked."""
