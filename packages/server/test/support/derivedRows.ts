import type { Place } from "./places.ts"

/** The number of derived rows, and a digest of all their columns except the time of writing. */
export const derivedRows = ({ sql }: Place) =>
  sql((sql) =>
    sql.unsafe<{ readonly rows: number; readonly digest: string }>(
      `select count(*)::integer as rows,
        md5(string_agg(
          concat_ws(' ', rule, series, day, until, revision, encode(bytes, 'hex')), ',' order by rule, series, day
        )) as digest from derived_days`
    )
  )
