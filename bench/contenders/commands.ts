/** A statement as a Worker sent it to the database. */
export interface SentStatement {
  query: string
  params: unknown[]
}

/** What the database did for the Workers, as its Neon proxy saw it. */
export interface DatabaseWork {
  statements: number
  /** From sending a statement to having its result, summed up. */
  milliseconds: number
}

/** One statement of a cron, and how long the database took for it. */
export interface TimedStatement {
  query: string
  milliseconds: number
}

export interface CronRun {
  milliseconds: number
  statements: TimedStatement[]
  /** Why it did not come to its end, if it did not. */
  failed: string | null
}

/** What a contender's process is asked to do, over its IPC channel. Times are in milliseconds. */
export interface WorldCommands {
  /** Work since the start. */
  databaseWork(): Promise<DatabaseWork>
  /** Begins to keep all statements; `recorded` gives them and ends that. */
  record(): Promise<void>
  recorded(): Promise<SentStatement[]>
  /** Fires a cron trigger once and waits until it is over, well or not. */
  scheduled(env: string): Promise<CronRun>
  /** What all runtimes of the world hold, in bytes, as the system counts it; null where that cannot be seen. */
  residentMemory(): Promise<number | null>
  /** Applies a paywall file: its JSON text, all secrets in it. */
  apply(file: string): Promise<void>
  /** Where the DevTools protocol is spoken. */
  inspector(): Promise<string>
}

/** Where a world that has started is. */
export interface WorldPlace {
  url: string
  databaseUrl: string
  neonUrl: string
}

/** What a process says of itself: first that it is ready, then the answer to each call, by the call's number. */
export type Message =
  | { ready: WorldPlace }
  | { failed: string }
  | { answerTo: number; result: unknown }
  | { answerTo: number; error: string }

export interface Call {
  number: number
  command: keyof WorldCommands
  argument: string | undefined
}
