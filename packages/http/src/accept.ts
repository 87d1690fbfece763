/** The quality of a media type in an `Accept` header (RFC 9110, 12.5.1). */

const quality = (parameters: ReadonlyArray<string>): number => {
  const q = parameters.map((one) => /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i.exec(one.trim())?.[1]).find(Boolean)
  return q === undefined ? 1 : Number(q)
}

/**
 * How exactly a range matches a type: 2 by name, 1 by kind, 0 if the range matches all types; undefined if it does not
 * match.
 */
const exactness = (range: string, type: string): number | undefined =>
  range === type ? 2 : range === `${type.split("/")[0]}/*` ? 1 : range === "*/*" ? 0 : undefined

/**
 * Returns the type that a caller prefers. Among equally preferred types it is the first of `types`. Also returns the
 * first if the caller accepts none of the types, or sends no header: a response is more useful than an error.
 */
export const preferred = <const Type extends string>(
  accept: string | undefined,
  types: readonly [Type, ...ReadonlyArray<Type>]
): Type => {
  if (accept === undefined) return types[0]
  const ranges = accept.split(",").map((range) => {
    const [name = "", ...parameters] = range.split(";")
    return { name: name.trim().toLowerCase(), q: quality(parameters) }
  })
  const qualityOf = (type: string): number => {
    let best = { exactness: -1, q: 0 }
    for (const { name, q } of ranges) {
      const found = exactness(name, type)
      if (found !== undefined && found > best.exactness) best = { exactness: found, q }
    }
    return best.q
  }
  let chosen = types[0]
  for (const type of types) if (qualityOf(type) > qualityOf(chosen)) chosen = type
  return chosen
}
