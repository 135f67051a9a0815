/**
 * A call that the processor refuses. `Refusal` adds the body in the processor's format.
 */
export class EmulatorError extends Error {
  readonly status: number
  /** Whether the endpoint ran. If not, the error is not stored under the idempotency key. */
  readonly executed: boolean

  constructor(status: number, message: string, executed = true) {
    super(message)
    this.status = status
    this.executed = executed
  }
}

/** An `EmulatorError` with the body of the response. */
export class Refusal extends EmulatorError {
  override name = 'Refusal'
  readonly body: object

  constructor(status: number, message: string, body: object, executed = true) {
    super(status, message, executed)
    this.body = body
  }
}
