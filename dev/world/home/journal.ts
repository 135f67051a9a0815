/** A log of home's actions, shown on its page. */
export interface Journal {
  /** The latest sentences, newest first. */
  readonly entries: { at: Date; sentence: string; isRefusal: boolean }[]
  note(sentence: string): void
  /** Records why an action was refused. */
  refuse(sentence: string): void
}

const KEPT = 20

export function createJournal(): Journal {
  const entries: Journal['entries'] = []
  const add = (sentence: string, isRefusal: boolean) => {
    entries.unshift({ at: new Date(), sentence, isRefusal })
    entries.splice(KEPT)
  }
  return {
    entries,
    note: (sentence) => add(sentence, false),
    refuse: (sentence) => add(sentence, true),
  }
}
