"""The server's application: routes, security, what its parts share. Ours."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files

from fastapi import APIRouter, FastAPI
from starlette.middleware import Middleware
from starlette.staticfiles import StaticFiles

import shopsim
from shopsim.server import login, manual, problems, security
from shopsim.server.environments import routes as environments
from shopsim.server.environments.sessions import Sessions
from shopsim.server.judge import routes as judge
from shopsim.server.judge.store import Studies
from shopsim.server.play import routes as play
from shopsim.server.play.games import Games
from shopsim.server.served import ServedData
from shopsim.server.settings import ServerSettings
from shopsim.server.viewer import routes as viewer
from shopsim.server.viewer.library import Library
from shopsim.server.viewer.pictures import Pictures

ROUTERS: tuple[APIRouter, ...] = (
    environments.router,
    login.router,
    manual.router,
    viewer.router,
    play.router,
    judge.router,
)
"""The parts of the server. Each keeps its routes in a module of its own."""


def create_app(settings: ServerSettings) -> FastAPI:
    """The application.

    ``app.state`` holds ``settings`` (`ServerSettings`), ``data`` (`ServedData`), ``sessions`` (`Sessions`),
    ``library`` (`Library`), ``pictures`` (`Pictures`), ``games`` (`Games`) and
    ``studies`` (`Studies`, or None).

    Raises:
        InputError: A data set or the study's database cannot be opened.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with app.state.sessions.running():
            yield

    app = FastAPI(
        title="ShopSim",
        version=shopsim.__version__,
        summary="A mobile shop as an environment, in OpenEnv's convention.",
        docs_url=None,  # Swagger's page needs scripts from elsewhere; `manual` serves one of our own
        redoc_url=None,
        lifespan=lifespan,
        middleware=[
            Middleware(security.ResponseHeaders),
            Middleware(security.RateLimit, settings=settings),
            Middleware(security.SameOrigin, settings=settings),
            Middleware(security.Token, settings=settings),
            Middleware(security.BodyLimit, settings=settings),
        ],
    )
    app.state.settings = settings
    app.state.data = ServedData(settings)
    app.state.sessions = Sessions(settings, app.state.data)
    app.state.library = Library(settings, app.state.data)
    app.state.pictures = Pictures()
    app.state.games = Games(settings, app.state.data)
    app.state.studies = None if settings.study_url is None else Studies(settings.study_url)
    problems.install(app)
    for router in ROUTERS:
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=str(files("shopsim.server") / "static")), name="static")
    return app
