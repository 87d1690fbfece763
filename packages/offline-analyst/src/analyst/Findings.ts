import type { Schema } from "effect"

type Arguments = Readonly<Record<string, Schema.Json>>

/**
 * A tool's result, read leniently: results reach a model thinned, and what is not there is null. Paths go by points
 * into objects.
 */
export class Data {
  readonly raw: unknown
  constructor(raw: unknown) {
    this.raw = raw
  }

  get(path: string): unknown {
    let value: unknown = this.raw
    for (const key of path.split(".")) {
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return null
      // `value` is an object that has the key.
      value = (value as Readonly<Record<string, unknown>>)[key]
    }
    return value ?? null
  }

  num(path: string): number | null {
    const value = this.get(path)
    return typeof value === "number" && Number.isFinite(value) ? value : null
  }

  str(path: string): string | null {
    const value = this.get(path)
    return typeof value === "string" ? value : null
  }

  is(path: string): boolean {
    return this.get(path) === true
  }

  /** The objects of a list; what a thinner put between them is left out. */
  list(path: string): ReadonlyArray<Data> {
    const value = this.get(path)
    return Array.isArray(value)
      ? value.filter((item) => typeof item === "object" && item !== null).map((item) => new Data(item))
      : []
  }

  strings(path: string): ReadonlyArray<string> {
    const value = this.get(path)
    return Array.isArray(value) ? value.filter((item) => typeof item === "string") : []
  }
}

/** Nothing is known of it. */
export const nothing = new Data(null)

/** What a call came to, or what the caller knew already. */
export interface Finding {
  readonly name: string
  /** Null of a fact that the caller gave. */
  readonly arguments: Arguments | null
  readonly ok: boolean
  readonly data: Data
}

const agrees = ({ arguments: args, data }: Finding, wanted: Arguments): boolean =>
  Object.entries(wanted).every(([key, value]) => {
    if (args !== null) return JSON.stringify(args[key] ?? null) === JSON.stringify(value)
    // A fact is about what its data says that it is about; it was not asked with arguments.
    return typeof value !== "string" || data.str(key) === value
  })

/** All that is known when a step begins. */
export class Findings {
  readonly all: ReadonlyArray<Finding>
  constructor(all: ReadonlyArray<Finding>) {
    this.all = all
  }

  /** What came of a call of the tool with these arguments (others do not matter); `undefined` when none was made. */
  came(name: string, wanted: Arguments = {}): Finding | undefined {
    return this.all.findLast((finding) => finding.name === name && agrees(finding, wanted))
  }

  /** The result of a tool that answered; `nothing` when it did not. */
  of(name: string, wanted: Arguments = {}): Data {
    const found = this.all.findLast((finding) => finding.ok && finding.name === name && agrees(finding, wanted))
    return found?.data ?? nothing
  }
}
