/** A typed or plain array of numbers, oldest first. */
export type Series = ArrayLike<number>

export function checkInteger(where: string, name: string, value: number, min: number): void {
  if (!Number.isInteger(value) || value < min) {
    throw new RangeError(`${where}: ${name} must be a whole number of at least ${min}, got ${value}`)
  }
}

export function checkFinite(where: string, name: string, value: number): void {
  if (!Number.isFinite(value)) throw new RangeError(`${where}: ${name} must be a finite number, got ${value}`)
}

export function checkPositive(where: string, name: string, value: number): void {
  if (!(value > 0 && value < Infinity)) {
    throw new RangeError(`${where}: ${name} must be finite and above 0, got ${value}`)
  }
}

export function checkNotNegative(where: string, name: string, value: number): void {
  if (!(value >= 0 && value < Infinity)) {
    throw new RangeError(`${where}: ${name} must be finite and not below 0, got ${value}`)
  }
}

export function checkWithin(where: string, name: string, value: number, low: number, high: number): void {
  if (!(value >= low && value <= high)) {
    throw new RangeError(`${where}: ${name} must lie in ${low} to ${high}, got ${value}`)
  }
}

export function checkSameLength(where: string, names: string, length: number, ...others: ReadonlyArray<Series>): void {
  for (const other of others) {
    if (other.length !== length) {
      throw new RangeError(`${where}: ${names} must have equal lengths, got ${length} and ${other.length}`)
    }
  }
}

/** Rejects null elements, because arithmetic would read null as 0. */
export function rejectNulls(where: string, name: string, x: Series): void {
  if (ArrayBuffer.isView(x)) return
  for (let i = 0; i < x.length; i++) {
    if (x[i] === null) throw new RangeError(`${where}: ${name}[${i}] is null; fill or drop the gap first`)
  }
}

export function checkFiniteSeries(where: string, name: string, x: Series): void {
  rejectNulls(where, name, x)
  for (let i = 0; i < x.length; i++) {
    const value = x[i]!
    // For a finite number, `value - value` is 0; otherwise the difference is NaN. Unlike a call, a subtraction does not
    // box the number.
    if (value - value !== 0) {
      throw new RangeError(`${where}: ${name}[${i}] is ${value}; fill or drop the gap first`)
    }
  }
}

export function checkPositiveSeries(where: string, name: string, x: Series): void {
  for (let i = 0; i < x.length; i++) {
    const value = x[i]!
    if (!(value > 0 && value < Infinity)) {
      throw new RangeError(`${where}: ${name}[${i}] must be finite and above 0, got ${value}`)
    }
  }
}

export function checkNotNegativeSeries(where: string, name: string, x: Series): void {
  rejectNulls(where, name, x)
  for (let i = 0; i < x.length; i++) {
    const value = x[i]!
    if (!(value >= 0 && value < Infinity)) {
      throw new RangeError(`${where}: ${name}[${i}] must be finite and not below 0, got ${value}`)
    }
  }
}

export function checkAscendingSeries(where: string, name: string, x: Series): void {
  for (let i = 1; i < x.length; i++) {
    if (!(x[i]! > x[i - 1]!)) {
      throw new RangeError(
        `${where}: ${name} must ascend strictly, but ${name}[${i}] is ${x[i]} after ${x[i - 1]}; sort and merge first`
      )
    }
  }
}

/** Returns the index of the first value that is not NaN. Throws a RangeError for a null before this value. */
export function getWarmUpLength(where: string, name: string, x: Series): number {
  rejectNulls(where, name, x)
  let i = 0
  while (i < x.length && Number.isNaN(x[i])) i++
  return i
}

/**
 * Throws an error that names the first value of the series that is not finite. If all values are finite, the error
 * reports an overflow of their sum.
 */
export function rejectSeries(where: string, from: number, seriesByName: Readonly<Record<string, Series>>): never {
  for (const [name, x] of Object.entries(seriesByName)) {
    for (let i = from; i < x.length; i++) {
      if (!Number.isFinite(x[i])) {
        throw new RangeError(`${where}: ${name}[${i}] is ${x[i]}; fill or drop the gap first`)
      }
    }
  }
  throw new RangeError(`${where}: the sum of the values is too large; scale the values down`)
}

/** Throws the error for a bar whose high is below its low. */
export function rejectCrossedBar(where: string, i: number, high: number, low: number): never {
  throw new RangeError(`${where}: high[${i}] (${high}) is below low[${i}] (${low})`)
}

export function checkBarSeries(where: string, high: Series, low: Series, close: Series): void {
  checkSameLength(where, "high, low and close", high.length, low, close)
  checkFiniteSeries(where, "high", high)
  checkFiniteSeries(where, "low", low)
  checkFiniteSeries(where, "close", close)
  for (let i = 0; i < high.length; i++) {
    if (low[i]! > high[i]!) rejectCrossedBar(where, i, high[i]!, low[i]!)
  }
}

export type Side = "long" | "short"

export function getSideSign(where: string, side: Side): 1 | -1 {
  if (side === "long") return 1
  if (side === "short") return -1
  throw new RangeError(`${where}: side must be "long" or "short", got ${String(side)}`)
}
