// The jobs of the contract of `Compute`, in a module of their own, which the threads of an adapter load.
import { Column, type Job, named, type NamedJob } from "@tapeline/core/engine"
import { Schema } from "effect"

/** Numbers that two threads share, so that a test and a job can meet. */
const Shared = Schema.instanceOf(Int32Array<ArrayBufferLike>)

/** Where a meeting's numbers are: whether the job has begun, and whether it may end. */
export const begun = 0
export const mayEnd = 1

/** Sums up; its schemas change what crosses. */
export const sumUp: Job<
  { readonly at: Date; readonly values: Float64Array; readonly note: string | undefined },
  { readonly at: Date; readonly sums: Float64Array; readonly total: number | null }
> = {
  name: "contract_sum_up",
  input: Schema.Struct({ at: Schema.DateFromString, values: Column, note: Schema.UndefinedOr(Schema.String) }),
  output: Schema.Struct({ at: Schema.DateFromString, sums: Column, total: Schema.NullOr(Schema.Number) }),
  run: ({ at, values }) => {
    let total = 0
    const sums = values.map((value) => total += value)
    return { at, sums, total: values.length === 0 ? null : total }
  }
}

/** Says that it has begun, and waits for leave to end. */
export const meet: Job<Int32Array, string> = {
  name: "contract_meet",
  input: Shared,
  output: Schema.String,
  run: (shared) => {
    Atomics.store(shared, begun, 1)
    Atomics.notify(shared, begun)
    Atomics.wait(shared, mayEnd, 0)
    return "met"
  }
}

/** Says that it has begun, and never ends. */
export const spin: Job<Int32Array, string> = {
  name: "contract_spin",
  input: Shared,
  output: Schema.String,
  run: (shared) => {
    Atomics.store(shared, begun, 1)
    Atomics.notify(shared, begun)
    while (Atomics.load(shared, begun) === 1);
    return "ended"
  }
}

/** Has a bug. */
export const throwing: Job<string, string> = {
  name: "contract_throw",
  input: Schema.String,
  output: Schema.String,
  run: (text) => {
    throw new Error(text)
  }
}

/** Has a bug, whose cause cannot be cloned. */
export const throwingMore: Job<string, string> = {
  name: "contract_throw_more",
  input: Schema.String,
  output: Schema.String,
  run: (text) => {
    throw new Error(text, { cause: () => text })
  }
}

/** Gives what its schema does not hold. */
export const halve: Job<number, number> = {
  name: "contract_halve",
  input: Schema.Finite,
  output: Schema.Int,
  run: (number) => number / 2
}

/** Gives what cannot be cloned. */
export const giveFunction: Job<string, unknown> = {
  name: "contract_give_function",
  input: Schema.String,
  output: Schema.Unknown,
  run: (text) => ({ text: () => text })
}

/** Takes anything, so what cannot be cloned too. */
export const takeAnything: Job<unknown, string> = {
  name: "contract_take_anything",
  input: Schema.Unknown,
  output: Schema.String,
  run: (anything) => typeof anything
}

/** Ends what runs it. */
export const crash: Job<string, string> = {
  name: "contract_crash",
  input: Schema.String,
  output: Schema.String,
  run: () => process.exit(1)
}

/** Takes more memory than there is. */
export const swallow: Job<string, string> = {
  name: "contract_swallow",
  input: Schema.String,
  output: Schema.String,
  run: (text) => {
    const swallowed: Array<ReadonlyArray<string>> = []
    for (;;) swallowed.push(Array.from({ length: 100_000 }, (_, i) => `${text}${swallowed.length}${i}`))
  }
}

export const jobs: ReadonlyArray<NamedJob> = [
  named(sumUp),
  named(meet),
  named(spin),
  named(throwing),
  named(throwingMore),
  named(halve),
  named(giveFunction),
  named(takeAnything),
  named(crash),
  named(swallow)
]
