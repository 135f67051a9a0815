import type { HttpResponse } from '../server.ts'

/** The result of a route whose response is not JSON. */
export class RawResponse {
  readonly response: HttpResponse

  constructor(status: number, body = '', contentType?: string) {
    this.response = { status, headers: contentType === undefined ? {} : { 'Content-Type': contentType }, body }
  }
}
