/** A description of a migration, for the operator. A test compares `locks` and `scans` with what PostgreSQL reports. */
export interface MigrationEffect {
  readonly summary: string
  /** The existing tables that calls cannot write, or cannot read either, until the migration ends. */
  readonly locks: ReadonlyArray<string>
  /** The existing tables whose rows the migration reads or writes. Its duration is in proportion to these tables. */
  readonly scans: ReadonlyArray<string>
}

/** The newest migration that was written before migrations had to be independent of the number of rows. */
export const lastScanningMigration = 28

export const migrationEffects: Readonly<Record<number, MigrationEffect>> = {
  18: { summary: "creates the schema", locks: [], scans: [] },
  19: {
    summary: "stores which personal records each conversation shows",
    locks: ["conversations", "messages"],
    scans: ["conversations", "messages", "notifications", "task_firings", "tasks"]
  },
  20: { summary: "stores the same for each message", locks: ["messages"], scans: [] },
  21: {
    summary: "adds external ids, metadata and a status to accounts, and the log of events",
    locks: ["accounts"],
    scans: ["accounts"]
  },
  22: {
    summary: "adds grants, refunds and corrections of credits",
    locks: ["credit_months"],
    scans: ["credit_months"]
  },
  24: { summary: "adds named admin tokens", locks: [], scans: [] },
  25: {
    summary: "adds events about answers, tasks and credits",
    locks: ["credit_months", "generations", "task_firings"],
    scans: ["credit_months"]
  },
  26: { summary: "adds webhooks", locks: ["events"], scans: [] },
  27: {
    summary: "adds limits and rotation of keys",
    locks: ["credit_months", "keys"],
    scans: ["keys"]
  },
  28: { summary: "adds erasures of accounts", locks: ["admin_requests"], scans: [] },
  29: { summary: "adds proposals of the analyst", locks: ["conversations"], scans: [] },
  30: { summary: "adds charges of calls that ran without a reservation", locks: [], scans: [] }
}
