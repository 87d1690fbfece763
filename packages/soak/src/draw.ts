import { seededRandom } from "@tapeline/quant/random"

/** Draws from one stream of random numbers. */
export interface Draw {
  /** A whole number from `least` to `most`, both included. */
  readonly integer: (least: number, most: number) => number
  readonly chance: (probability: number) => boolean
  readonly oneOf: <A>(choices: ReadonlyArray<A>) => A
}

/** Returns a numbered stream of a seed. Streams of one seed are independent. */
export const drawOf = (seed: number, stream: number): Draw => {
  const random = seededRandom(seed * 65_536 + stream)
  const integer = (least: number, most: number) => least + Math.floor(random() * (most - least + 1))
  return {
    integer,
    chance: (probability) => random() < probability,
    oneOf: (choices) => choices[integer(0, choices.length - 1)]!
  }
}
