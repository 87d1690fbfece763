import type { Schema } from "effect"

type Arguments = Readonly<Record<string, Schema.Json>>

/** A tool result in which every missing value reads as null; a path such as `error.code` names nested fields. */
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

  /** Returns the objects of a list, without the strings that mark omitted items. */
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

export const nothing = new Data(null)

export interface Finding {
  readonly name: string
  /** The arguments of the tool call, or null for a fact that the caller supplied. */
  readonly arguments: Arguments | null
  readonly ok: boolean
  readonly data: Data
}

const agrees = ({ arguments: args, data }: Finding, wanted: Arguments): boolean =>
  Object.entries(wanted).every(([key, value]) => {
    if (args !== null) return JSON.stringify(args[key] ?? null) === JSON.stringify(value)
    // A fact has no arguments, so the subject fields of the fact's data are compared.
    return typeof value !== "string" || data.str(key) === value
  })

/** The facts and tool results that are known at the beginning of a step. */
export class Findings {
  readonly all: ReadonlyArray<Finding>
  constructor(all: ReadonlyArray<Finding>) {
    this.all = all
  }

  /** Returns the last result of a tool whose call contained the given arguments, even a failed result. */
  came(name: string, wanted: Arguments = {}): Finding | undefined {
    return this.all.findLast((finding) => finding.name === name && agrees(finding, wanted))
  }

  /** Returns the data of a tool's last successful result, or `nothing` if there is none. */
  of(name: string, wanted: Arguments = {}): Data {
    const found = this.all.findLast((finding) => finding.ok && finding.name === name && agrees(finding, wanted))
    return found?.data ?? nothing
  }
}
