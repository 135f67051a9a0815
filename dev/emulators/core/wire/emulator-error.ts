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
