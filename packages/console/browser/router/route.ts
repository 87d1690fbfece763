/** The names of a path's parameters: `name` in `/tools/:name`. */
export type ParamsOf<Path extends string> = {
  readonly [Name in NamesIn<Path>]: string
}
type NamesIn<Path extends string> = Path extends `${infer Segment}/${infer Rest}` ? NameOf<Segment> | NamesIn<Rest>
  : NameOf<Path>
type NameOf<Segment extends string> = Segment extends `:${infer Name}` ? Name : never

/** The path of the console below the service's address. */
export const base = "/app"

/** Converts a path of the console to one of the browser: `/tools` is `/app/tools`. */
export const addressOf = (path: string): string => base + path

/** Converts a path of the browser to one of the console: `/app/tools/` is `/tools`. */
export const pathOf = (pathname: string): string => {
  const path = pathname.startsWith(`${base}/`) || pathname === base ? pathname.slice(base.length) : pathname
  return `/${path.split("/").filter((segment) => segment !== "").join("/")}`
}

const decoded = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** The parameters in a path; undefined if the path does not match the pattern. */
export const paramsIn = (pattern: string, path: string): Readonly<Record<string, string>> | undefined => {
  const wanted = pattern.split("/")
  const given = path.split("/")
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, segment] of wanted.entries()) {
    if (segment.startsWith(":")) {
      const value = decoded(given[i]!)
      if (value === undefined || value === "") return undefined
      params[segment.slice(1)] = value
    } else if (segment !== given[i]) return undefined
  }
  return params
}

/** Fills the parameters of a path. Throws if a parameter is missing. */
export const filled = <Path extends string>(pattern: Path, params: ParamsOf<Path>): string => {
  const values: Readonly<Record<string, string>> = params
  return pattern.replaceAll(/:(\w+)/g, (segment, name: string) => {
    const value = values[name] ?? ""
    if (value === "") throw new Error(`${pattern} is given nothing for ${segment}`)
    return encodeURIComponent(value)
  })
}
