import { seededRandom } from "@tapeline/quant/random"

export interface RandomSource {
  /** Returns a random integer from `min` to `max`, both included. */
  readonly integer: (min: number, max: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <A>(choices: ReadonlyArray<A>) => A
}

/** Returns a numbered stream of random numbers for a seed, independent of the other streams of the seed. */
export const randomStream = (seed: number, stream: number): RandomSource => {
  const random = seededRandom(seed * 65_536 + stream)
  const integer = (min: number, max: number) => min + Math.floor(random() * (max - min + 1))
  return {
    integer,
    chance: (probability) => random() < probability,
    pick: (choices) => choices[integer(0, choices.length - 1)]!
  }
}
