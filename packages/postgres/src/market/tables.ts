import type { DocumentsKind, EventsKind, PointsKind } from "@tapeline/core/market/store"

/* The names of tables and columns, which follow from those of a kind. */

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The names for the statements of a kind. */
export interface KindTable {
  readonly table: string
  /** The kind's own columns: `columns` as the database names them, `names` as the kind does. */
  readonly columns: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
}

const made = new WeakMap<PointsKind | EventsKind, KindTable>()

export const tableOf = (kind: PointsKind | EventsKind): KindTable => {
  const known = made.get(kind)
  if (known !== undefined) return known
  const names = kind.shape === "points" ? Object.keys(kind.columns) : kind.columns
  const fresh = { table: `market_${snake(kind.name)}`, columns: names.map(snake), names }
  made.set(kind, fresh)
  return fresh
}

/** Makes the text of a statement for each kind, once. */
export const byKind = <K extends PointsKind | EventsKind>(make: (table: KindTable, kind: K) => string) => {
  const known = new WeakMap<K, string>()
  return (kind: K): string => {
    const text = known.get(kind) ?? make(tableOf(kind), kind)
    known.set(kind, text)
    return text
  }
}

/** Parameters from `$place` on, as arrays of a kind's own columns. */
export const columnsFrom = (place: number, columns: ReadonlyArray<string>): string =>
  columns.map((_, i) => `$${place + i}::float8[]`).join(", ")

/** Returns SQL that replaces an existing row if its values differ. */
export const replacing = (keys: string, columns: ReadonlyArray<string>): string =>
  `on conflict (${keys}) do update set ${columns.map((name) => `${name} = excluded.${name}`).join(", ")}
  where (${columns.map((name) => `t.${name}`).join(", ")})
    is distinct from (${columns.map((name) => `excluded.${name}`).join(", ")})`

/** Returns the name of the partition for a span. */
export const partOf = (kind: PointsKind | EventsKind, span: string): string => `${tableOf(kind).table}_${span}`

/** The subject of a kind's own series. */
export const ownSubject = ""

export type AnyKind = PointsKind | EventsKind | DocumentsKind
