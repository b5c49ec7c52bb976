"""Tools of MCP servers: configured in `mcp.json`, examined and pinned, called through the gateway like any other."""

from signoff.tools.mcp.config import ServerConfig, config_path, load_config
from signoff.tools.mcp.connections import Connections, Problem, mcp_tools

__all__ = ["Connections", "Problem", "ServerConfig", "config_path", "load_config", "mcp_tools"]
