/** The limits of writes, reads and stored data. Callers split larger writes and reads. */
export const marketBounds = {
  /** Rows per write. An event counts once for each of its subjects. */
  rowsWritten: 20_000,
  subjectsWritten: 2_000,
  /** Covered or lost intervals of one subject per write. */
  intervalsWritten: 1_000,
  /** Spans (months or years) with rows per write. */
  spansWritten: 36,
  subjectsOfEvent: 50,
  /** UTF-8 bytes of one document, and of all documents of one write or read. */
  documentBytes: 1_048_576,
  bytesAtOnce: 33_554_432,
  /** Stored subjects per kind, keys per kind of documents, sources, and leads. */
  subjects: 10_000,
  documents: 20_000,
  sources: 1_000,
  leads: 1_000,
  /** Points, steps or events per read. */
  rowsRead: 250_000,
  leaseMs: 3_600_000
} as const
