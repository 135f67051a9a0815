import type { ServerResponse } from 'node:http'

/** Sends a whole text with status 200. `type` is its media type without the charset. */
export function sendText(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body)
}
