/** The limits of writes, reads and stored data. Callers split larger writes and reads. */
export const marketStoreLimits = {
  /** Rows per write. An event counts once for each of its subjects. */
  maxRowsPerWrite: 20_000,
  maxSubjectsPerWrite: 2_000,
  /** Covered or lost intervals of one subject per write. */
  maxIntervalsPerWrite: 1_000,
  /** Spans (months or years) with rows per write. */
  maxPeriodsPerWrite: 36,
  maxSubjectsPerEvent: 50,
  /** UTF-8 bytes of one document, and of all documents of one write or read. */
  maxDocumentBytes: 1_048_576,
  maxTotalDocumentBytes: 33_554_432,
  /** Stored subjects per kind, keys per kind of documents, sources, and leads. */
  maxSubjects: 10_000,
  maxDocuments: 20_000,
  maxSources: 1_000,
  maxLeads: 1_000,
  /** Points, steps or events per read. */
  maxRowsPerRead: 250_000,
  maxLeaseMs: 3_600_000
} as const
