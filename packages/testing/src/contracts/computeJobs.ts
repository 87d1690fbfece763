import { Column, type EncodedJob, encodedJob, type Job } from "@tapeline/core/engine"
import { Schema } from "effect"

const SharedNumbers = Schema.instanceOf(Int32Array<ArrayBufferLike>)

/**
 * The index of the shared number that a job sets to 1 to report that it has begun. The test sets the number at
 * `mayEndIndex` to 1 to let the job end.
 */
export const startIndex = 0
export const mayEndIndex = 1

/** A job that returns the running sums of its input. The schemas of the job convert its input and its result. */
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

export const waitForRelease: Job<Int32Array, string> = {
  name: "contract_meet",
  input: SharedNumbers,
  output: Schema.String,
  run: (shared) => {
    Atomics.store(shared, startIndex, 1)
    Atomics.notify(shared, startIndex)
    Atomics.wait(shared, mayEndIndex, 0)
    return "met"
  }
}

export const spinForever: Job<Int32Array, string> = {
  name: "contract_spin",
  input: SharedNumbers,
  output: Schema.String,
  run: (shared) => {
    Atomics.store(shared, startIndex, 1)
    Atomics.notify(shared, startIndex)
    while (Atomics.load(shared, startIndex) === 1);
    return "ended"
  }
}

export const throwError: Job<string, string> = {
  name: "contract_throw",
  input: Schema.String,
  output: Schema.String,
  run: (text) => {
    throw new Error(text)
  }
}

export const throwUncloneableCause: Job<string, string> = {
  name: "contract_throw_more",
  input: Schema.String,
  output: Schema.String,
  run: (text) => {
    throw new Error(text, { cause: () => text })
  }
}

export const returnFraction: Job<number, number> = {
  name: "contract_halve",
  input: Schema.Finite,
  output: Schema.Int,
  run: (number) => number / 2
}

export const returnFunction: Job<string, unknown> = {
  name: "contract_give_function",
  input: Schema.String,
  output: Schema.Unknown,
  run: (text) => ({ text: () => text })
}

export const acceptAnything: Job<unknown, string> = {
  name: "contract_take_anything",
  input: Schema.Unknown,
  output: Schema.String,
  run: (value) => typeof value
}

export const exitProcess: Job<string, string> = {
  name: "contract_crash",
  input: Schema.String,
  output: Schema.String,
  run: () => process.exit(1)
}

export const exhaustMemory: Job<string, string> = {
  name: "contract_swallow",
  input: Schema.String,
  output: Schema.String,
  run: (text) => {
    const chunks: Array<ReadonlyArray<string>> = []
    for (;;) chunks.push(Array.from({ length: 100_000 }, (_, i) => `${text}${chunks.length}${i}`))
  }
}

export const jobs: ReadonlyArray<EncodedJob> = [
  encodedJob(sumUp),
  encodedJob(waitForRelease),
  encodedJob(spinForever),
  encodedJob(throwError),
  encodedJob(throwUncloneableCause),
  encodedJob(returnFraction),
  encodedJob(returnFunction),
  encodedJob(acceptAnything),
  encodedJob(exitProcess),
  encodedJob(exhaustMemory)
]
