/** Returns the value at a path of fields and indices, such as `rows.0.price`. */
export const valueAt = (data: unknown, path: string): unknown => {
  let value = data
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null) return undefined
    value = Reflect.get(value, key)
  }
  return value
}
