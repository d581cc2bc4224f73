"""The environments over HTTP and WebSocket, in OpenEnv's convention."""
