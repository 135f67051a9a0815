/**
 * A call that the processor refuses. Each processor has its own shape of error, so each emulator has its own subclass.
 */
export class EmulatorError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}
