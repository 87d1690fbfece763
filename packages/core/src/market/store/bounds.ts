/** The most that the store takes, tells and keeps. Who has more to write or to ask does it in parts. */
export const marketBounds = {
  /** Rows of one write; an event counts once for each of its subjects. */
  rowsWritten: 20_000,
  subjectsWritten: 2_000,
  /** Intervals that one write covers or loses of one subject. */
  intervalsWritten: 1_000,
  /** Spans (months or years) that the rows of one write lie in. */
  spansWritten: 36,
  subjectsOfEvent: 50,
  /** UTF-8 bytes of one document, and of all that one write holds or one read tells. */
  documentBytes: 1_048_576,
  bytesAtOnce: 33_554_432,
  /** Subjects of one kind, keys of one kind of documents, sources, and leads. */
  subjects: 10_000,
  documents: 20_000,
  sources: 1_000,
  leads: 1_000,
  /** Points, steps or events that one read tells. */
  rowsRead: 250_000,
  leaseMs: 3_600_000
} as const
