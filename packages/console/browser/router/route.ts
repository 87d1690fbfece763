/** The parameters of a path pattern, such as `name` in `/tools/:name`. */
export type ParamsOf<Path extends string> = {
  readonly [Name in NamesIn<Path>]: string
}
type NamesIn<Path extends string> = Path extends `${infer Segment}/${infer Rest}` ? NameOf<Segment> | NamesIn<Rest>
  : NameOf<Path>
type NameOf<Segment extends string> = Segment extends `:${infer Name}` ? Name : never

export const basePath = "/app"

/** Converts a console path to a browser path, such as `/tools` to `/app/tools`. */
export const toAddress = (path: string): string => basePath + path

/** Converts a browser path to a console path, such as `/app/tools/` to `/tools`. */
export const toPath = (pathname: string): string => {
  const path = pathname.startsWith(`${basePath}/`) || pathname === basePath ? pathname.slice(basePath.length) : pathname
  return `/${path.split("/").filter((segment) => segment !== "").join("/")}`
}

const decode = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** Returns the parameters in a path; undefined if the path does not match the pattern. */
export const matchPath = (pattern: string, path: string): Readonly<Record<string, string>> | undefined => {
  const patternSegments = pattern.split("/")
  const pathSegments = path.split("/")
  if (patternSegments.length !== pathSegments.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, segment] of patternSegments.entries()) {
    if (segment.startsWith(":")) {
      const value = decode(pathSegments[i]!)
      if (value === undefined || value === "") return undefined
      params[segment.slice(1)] = value
    } else if (segment !== pathSegments[i]) return undefined
  }
  return params
}

/**
 * Replaces the parameters of a path pattern by values.
 * @throws `Error` if a parameter has no value.
 */
export const fillPath = <Path extends string>(pattern: Path, params: ParamsOf<Path>): string => {
  const values: Readonly<Record<string, string>> = params
  return pattern.replaceAll(/:(\w+)/g, (segment, name: string) => {
    const value = values[name] ?? ""
    if (value === "") throw new Error(`${pattern} needs a value for ${segment}`)
    return encodeURIComponent(value)
  })
}
