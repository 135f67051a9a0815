import type { ServerResponse } from 'node:http'

export function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
}

/** Leads to the page that shows what arrives here; without one there is nothing to see. */
export function sendFrontPage(response: ServerResponse, page: string | undefined): void {
  if (page === undefined) response.writeHead(404).end()
  else response.writeHead(302, { location: page }).end()
}
