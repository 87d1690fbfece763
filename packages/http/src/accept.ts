/** What a caller takes of some media types, by their quality (RFC 9110, 12.5.1). */

const quality = (parameters: ReadonlyArray<string>): number => {
  const q = parameters.map((one) => /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i.exec(one.trim())?.[1]).find(Boolean)
  return q === undefined ? 1 : Number(q)
}

/** How well a range says a type: by name, by its kind, by `*`; undefined when it does not. */
const exactness = (range: string, type: string): number | undefined =>
  range === type ? 2 : range === `${type.split("/")[0]}/*` ? 1 : range === "*/*" ? 0 : undefined

/**
 * The one of some types that a caller prefers; of several alike the first of `types`, and so for who takes none of
 * them, or names none: an answer is of more use than its refusal.
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
