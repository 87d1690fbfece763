/**
 * A statement on the path of every call, as it stands in a function of the database: its parameters by name, with
 * their types. Kept apart so that its plan can be looked at by itself.
 */
export interface HotStatement {
  readonly text: string
  readonly parameters: Readonly<Record<string, string>>
}

/** The statement with `$1`, `$2`, ... in the places of its parameters, and their types in that order. */
export const prepared = (
  { parameters, text }: HotStatement
): { readonly sql: string; readonly types: ReadonlyArray<string> } => {
  const names = Object.keys(parameters)
  return {
    sql: names.reduce((sql, name, i) => sql.replaceAll(new RegExp(`\\b${name}\\b`, "g"), `$${i + 1}`), text),
    types: Object.values(parameters)
  }
}

/**
 * Settings of the functions on that path. Their plans are made once for a session, perhaps while the tables are empty,
 * and kept while these grow; so what they may choose from is what stays right: indexes, one row after the other.
 */
export const hotSettings = `set plan_cache_mode = force_generic_plan set jit = off
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off`
