import type { Imports } from "./imports.ts"

const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file) && !file.includes(".full.test.")

/**
 * Returns the distance from a change to each test file that imports the change directly or indirectly. An import adds
 * log2(1 + n) to the distance if the importing file has n imports.
 */
export const testDistances = (imports: Imports, changed: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const importers = new Map<string, Array<string>>()
  for (const [file, targets] of imports) {
    for (const target of targets) importers.set(target, [...importers.get(target) ?? [], file])
  }
  const distances = new Map<string, number>()
  const pending = new Map(changed.map((file) => [file, 0]))
  while (pending.size > 0) {
    const [file, distance] = [...pending].reduce((best, next) => next[1] < best[1] ? next : best)
    pending.delete(file)
    distances.set(file, distance)
    for (const importer of importers.get(file) ?? []) {
      const importerDistance = distance + Math.log2(1 + imports.get(importer)!.size)
      if (!distances.has(importer) && importerDistance < (pending.get(importer) ?? Infinity)) {
        pending.set(importer, importerDistance)
      }
    }
  }
  return new Map([...distances].filter(([file]) => isTest(file)))
}

/** Chooses the nearest test files whose total duration fits in `maxMs`, but at least the nearest file. */
export const chooseNearest = (
  distances: ReadonlyMap<string, number>,
  durationMs: (file: string) => number,
  maxMs: number
): ReadonlyArray<string> => {
  const chosen: Array<string> = []
  let totalMs = 0
  for (const [file] of [...distances].sort(([, a], [, b]) => a - b)) {
    const fileDurationMs = durationMs(file)
    if (totalMs + fileDurationMs > maxMs && chosen.length > 0) continue
    totalMs += fileDurationMs
    chosen.push(file)
  }
  return chosen
}
