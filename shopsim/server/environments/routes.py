"""The routes of the environment, in OpenEnv's convention. Ours."""

from fastapi import APIRouter

router = APIRouter(tags=["environment"])


@router.get("/health")
async def health() -> dict[str, str]:
    """Whether the server answers."""
    return {"status": "healthy"}
