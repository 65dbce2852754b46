"""The official Python client against `string --mcp` and `/mcp`, in the revisions with a session and without.

    python python.py STRING_BINARY HTTP_ADDRESS TOKEN
"""

import os
import sys

import anyio
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ResourceUpdatedNotification

BINARY, ADDRESS, TOKEN = sys.argv[1:4]
URI = "string://topic/interop"


def text(result):
    return result.content[0].text


async def basics(client):
    """What every conversation must give."""
    assert client.server_info.name == "string", client.server_info
    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == ["string"], tools

    async def call(topic, cmd, **options):
        return await client.call_tool("string", {"topic": topic, "cmd": cmd}, **options)

    info = await call("interop", "/info")
    assert not info.is_error and "Session info" in text(info), info
    missing = await call("interop", "/open missing.md")
    assert missing.is_error and "ERROR(NOT_FOUND)" in text(missing), missing
    resources = (await client.list_resources()).resources
    assert any(str(resource.uri) == URI for resource in resources), resources
    read = await client.read_resource(URI)
    assert "interop" in read.contents[0].text, read
    return call


async def progress_and_cancellation(name, call):
    """A command that is given up once it is known to run leaves its shell free."""
    begun = anyio.Event()

    async def progress(_progress, _total, message):
        if message and "has begun" in message:
            begun.set()

    async with anyio.create_task_group() as group:
        group.start_soon(lambda: call(f"bash:{name}", "echo has begun; cat", progress_callback=progress))
        await begun.wait()
        group.cancel_scope.cancel()
    free = await call(f"bash:{name}", "echo free again")
    assert "free again" in text(free), free


async def with_session(name, server):
    updated = anyio.Event()

    async def heard(message):
        if isinstance(message, ResourceUpdatedNotification) and str(message.params.uri) == URI:
            updated.set()

    async with Client(server, mode="legacy", message_handler=heard) as client:
        call = await basics(client)
        await client.subscribe_resource(URI)
        await call("interop", "/topics")
        await updated.wait()
        await client.unsubscribe_resource(URI)
        await progress_and_cancellation(name, call)
        await client.send_ping()
        print(f"python {name} {client.protocol_version}: ok")


async def use_until_cancelled(call):
    while True:
        await call("interop", "/topics")
        await anyio.sleep(0.05)


async def without_session(name, server):
    async with Client(server, mode="auto") as client:
        assert client.protocol_version == "2026-07-28", client.protocol_version
        call = await basics(client)
        async with client.listen(resource_subscriptions=[URI]) as changes, anyio.create_task_group() as group:
            # What happens before the subscription has taken hold is not told.
            group.start_soon(use_until_cancelled, call)
            async for change in changes:
                assert str(change.uri) == URI, change
                break
            group.cancel_scope.cancel()
        await progress_and_cancellation(name, call)
        print(f"python {name} {client.protocol_version}: ok")


def stdio():
    return StdioServerParameters(command=BINARY, args=["--mcp"], env=dict(os.environ))


async def main():
    with anyio.fail_after(120):
        await with_session("stdio-session", stdio())
        await without_session("stdio-stateless", stdio())
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=None) as http:
            await with_session("http-session", streamable_http_client(f"{ADDRESS}/mcp", http_client=http))
            await without_session("http-stateless", streamable_http_client(f"{ADDRESS}/mcp", http_client=http))


anyio.run(main)
