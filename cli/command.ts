/** One word of the `paywall` command. */
export interface Command {
  name: string
  /** The arguments, as the help shows them. */
  usage: string
  summary: string
  /** Throws a `Refusal` where it cannot do its work. */
  run(args: string[]): Promise<void>
}
