/** What home did, for the person who asked for it. */
export interface Journal {
  /** The sentences of late, the latest first. */
  readonly entries: { at: Date; sentence: string; isRefusal: boolean }[]
  note(sentence: string): void
  /** Says why something was not done. */
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
