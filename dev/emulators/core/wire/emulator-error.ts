/**
 * A call that the processor refuses. Each processor has its own shape of error, so each emulator has its own subclass.
 */
export class EmulatorError extends Error {
  readonly status: number
  /** Whether the endpoint ran: if not, the error is stored under no idempotency key. */
  readonly executed: boolean

  constructor(status: number, message: string, executed = true) {
    super(message)
    this.status = status
    this.executed = executed
  }
}

/** The same with the body of the response. */
export class Refusal extends EmulatorError {
  override name = 'Refusal'
  readonly body: object

  constructor(status: number, message: string, body: object) {
    super(status, message)
    this.body = body
  }
}
