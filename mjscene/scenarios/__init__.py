"""The parts of scenarios; what is public of them is in ``mjscene.scenario``."""

__all__: list[str] = []
