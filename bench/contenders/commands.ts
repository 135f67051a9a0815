/** A statement that a Worker sent to the database. */
export interface SentStatement {
  query: string
  params: unknown[]
}

/** The database's work for the Workers, measured at the Neon proxy. */
export interface DatabaseWork {
  statements: number
  /** The sum of the times from sending a statement to its result. */
  milliseconds: number
}

/** A statement of a cron with its duration. */
export interface TimedStatement {
  query: string
  milliseconds: number
}

export interface CronRun {
  milliseconds: number
  statements: TimedStatement[]
  /** The error if it failed. */
  failed: string | null
}

/** The commands of a world's process over its IPC channel. Times are in milliseconds. */
export interface WorldCommands {
  /** The database's work since the start. */
  databaseWork(): Promise<DatabaseWork>
  /** Starts recording statements; `stopRecording` returns them. */
  startRecording(): Promise<void>
  stopRecording(): Promise<SentStatement[]>
  /** Runs a cron once and waits until it ends, even if it fails. */
  runCron(env: string): Promise<CronRun>
  /** The resident memory of the world's runtimes in bytes; null on systems without /proc. */
  residentMemory(): Promise<number | null>
  /** Applies a paywall file, given as JSON with all secrets. */
  apply(file: string): Promise<void>
  /** The URL of the DevTools inspector. */
  inspector(): Promise<string>
}

/** The addresses of a started world. */
export interface WorldAddresses {
  url: string
  databaseUrl: string
  neonUrl: string
}

/** A process's messages: first that it is ready, then the response to each call, by the call's number. */
export type Message =
  | { ready: WorldAddresses }
  | { failed: string }
  | { answerTo: number; result: unknown }
  | { answerTo: number; error: string }

export interface Call {
  number: number
  command: keyof WorldCommands
  argument: string | undefined
}
