export type {
  ExecuteCall,
  ExecuteOutcome,
  HostCallOptions,
  HostConnector,
  JsonObject,
  SearchCall,
  SearchOutcome,
  ToolHost,
} from './host.ts';
export { hostedHost } from './hosts/hosted-host.ts';
export type { HostedConnectorLike } from './hosts/hosted-host.ts';
export { libraryHost } from './hosts/library-host.ts';
export type { LibraryConnector } from './hosts/library-host.ts';
export { answerMcp, handleMcp } from './mcp/http.ts';
export type { HttpOptions } from './mcp/http.ts';
export { makeMcpServer } from './mcp/server.ts';
export { serveStdio } from './mcp/stdio.ts';
export type { StdioOptions, StdioServer } from './mcp/stdio.ts';
export { Toolbox } from './toolbox.ts';
export type { CalledTool, ToolboxOptions, ToolResult } from './toolbox.ts';
export type { ToolAnnotations, ToolDefinition, ToolName } from './tools/tool.ts';
