import { Schema } from "effect"

/**
 * Work for the processor: a pure function, with a name by which another thread knows it. What its schemas encode to
 * must be what `structuredClone` takes; large series are best `Column`s.
 */
export interface Job<Input, Output> {
  readonly name: string
  readonly input: Schema.Codec<Input, unknown>
  readonly output: Schema.Codec<Output, unknown>
  readonly run: (input: Input) => Output
}

/** A job as another thread has it: by name, of what was encoded. */
export interface NamedJob {
  readonly name: string
  readonly runEncoded: (input: unknown) => unknown
}

/** A column of numbers, which crosses as it is. */
export const Column = Schema.instanceOf(Float64Array<ArrayBufferLike>)

const codecs = <Input, Output>({ input, output }: Job<Input, Output>) => ({
  encodeInput: Schema.encodeSync(input),
  decodeInput: Schema.decodeUnknownSync(input),
  encodeOutput: Schema.encodeSync(output),
  decodeOutput: Schema.decodeUnknownSync(output)
})

/** Runs what crossed to another thread, and gives what crosses back. */
export const named = <Input, Output>(job: Job<Input, Output>): NamedJob => {
  const { decodeInput, encodeOutput } = codecs(job)
  return { name: job.name, runEncoded: (input) => encodeOutput(job.run(decodeInput(input))) }
}

/** What crosses to another thread. */
export const encodeInput = <Input, Output>(job: Job<Input, Output>, input: Input): unknown =>
  codecs(job).encodeInput(input)

/** What crossed back. */
export const decodeOutput = <Input, Output>(job: Job<Input, Output>, output: unknown): Output =>
  codecs(job).decodeOutput(output)

/** Runs a job in this thread, through its schemas and through copies, as if it crossed to another. */
export const runHere = <Input, Output>(job: Job<Input, Output>, input: Input): Output =>
  decodeOutput(job, structuredClone(named(job).runEncoded(structuredClone(encodeInput(job, input)))))
