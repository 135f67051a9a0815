import type { ServerResponse } from 'node:http'

export function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
}

/** Redirects to the page that shows what arrived; 404 without one. */
export function sendFrontPage(response: ServerResponse, page: string | undefined): void {
  if (page === undefined) response.writeHead(404).end()
  else response.writeHead(302, { location: page }).end()
}
