import { Schema } from "effect"

/**
 * A CPU-bound computation as a pure function. A worker thread finds the computation by `name`. The schemas must encode
 * to values that `structuredClone` can copy. Use `Column` for large series.
 */
export interface Job<Input, Output> {
  readonly name: string
  readonly input: Schema.Codec<Input, unknown>
  readonly output: Schema.Codec<Output, unknown>
  readonly run: (input: Input) => Output
}

/** A job for another thread: the name of the job, and its function on encoded values. */
export interface EncodedJob {
  readonly name: string
  readonly runEncoded: (input: unknown) => unknown
}

/** An array of numbers that passes between threads without encoding. */
export const Column = Schema.instanceOf(Float64Array<ArrayBufferLike>)

const makeCodecs = <Input, Output>({ input, output }: Job<Input, Output>) => ({
  encodeInput: Schema.encodeSync(input),
  decodeInput: Schema.decodeUnknownSync(input),
  encodeOutput: Schema.encodeSync(output),
  decodeOutput: Schema.decodeUnknownSync(output)
})

/** Converts a job to a function that decodes its input, runs the job and encodes its output. */
export const encodedJob = <Input, Output>(job: Job<Input, Output>): EncodedJob => {
  const { decodeInput, encodeOutput } = makeCodecs(job)
  return { name: job.name, runEncoded: (input) => encodeOutput(job.run(decodeInput(input))) }
}

/** Encodes the input of a job for another thread. */
export const encodeInput = <Input, Output>(job: Job<Input, Output>, input: Input): unknown =>
  makeCodecs(job).encodeInput(input)

/** Decodes the output of a job that another thread returned. */
export const decodeOutput = <Input, Output>(job: Job<Input, Output>, output: unknown): Output =>
  makeCodecs(job).decodeOutput(output)

/** Runs a job in the calling thread. Encodes and copies input and output, as a job in another thread does. */
export const runInThisThread = <Input, Output>(job: Job<Input, Output>, input: Input): Output =>
  decodeOutput(job, structuredClone(encodedJob(job).runEncoded(structuredClone(encodeInput(job, input)))))
