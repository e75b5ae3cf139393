"""The archive: packs of sealed streams, written once, and the store that reads them as if nothing had been sealed."""
