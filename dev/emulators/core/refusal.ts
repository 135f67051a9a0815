/** What a processor answers instead of doing what was asked: each has its own shape of error, made of its own subclass. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}
