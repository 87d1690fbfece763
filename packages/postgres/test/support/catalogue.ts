import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/*
 * Describes the schema of a database. The description has the same lines on PGlite and on every supported PostgreSQL.
 */

const relations =
  `pg_class c where c.relnamespace = 'public'::regnamespace and c.relname not like 'tapeline_migrations%'`

/** Each query returns lines about objects: the object's relation, the order of the line, and the text of the line. */
const queries = [
  // In views on one table, PostgreSQL 15 qualifies the names of columns, and later versions do not.
  `select c.relname as owner, 0 as place, concat_ws(' ',
      case c.relpersistence when 'u' then 'unlogged' end,
      case c.relkind when 'r' then 'table' when 'p' then 'table' when 'v' then 'view' when 'S' then 'sequence'
        else 'kind ' || c.relkind::text end,
      c.relname,
      (select 'of ' || h.inhparent::regclass::text || ' ' || pg_get_expr(c.relpartbound, c.oid) from pg_inherits h
        where h.inhrelid = c.oid),
      case c.relkind when 'p' then 'by ' || pg_get_partkeydef(c.oid) when 'v' then
        trim(regexp_replace(replace(pg_get_viewdef(c.oid), 'credit_reservations.', ''), '\\s+', ' ', 'g')) end,
      (select 'as ' || format_type(s.seqtypid, null) || ' start ' || s.seqstart || ' by ' || s.seqincrement || ' in ' ||
        s.seqmin || '..' || s.seqmax || ' cache ' || s.seqcache || case when s.seqcycle then ' cycle' else '' end ||
        coalesce(' last ' || pg_sequence_last_value(c.oid), '') from pg_sequence s where s.seqrelid = c.oid),
      'with ' || array_to_string(c.reloptions, ', '), 'access ' || c.relacl::text,
      case when c.relrowsecurity then 'row security' end
    ) as text
    from ${relations} and c.relkind not in ('i', 'I')`,
  // The columns of a partition are listed only if they differ from the columns of its parent.
  `select c.relname as owner, a.attnum as place, concat_ws(' ', '  ' || a.attname, format_type(a.atttypid, a.atttypmod),
      case when a.attcollation <> t.typcollation then 'collate ' || a.attcollation::regcollation::text end,
      case when a.attnotnull then 'not null' end,
      case when a.attgenerated <> '' then 'generated' end, 'default ' || pg_get_expr(d.adbin, d.adrelid),
      case a.attidentity when 'a' then 'identity always' when 'd' then 'identity by default' end,
      case when a.attstorage <> t.typstorage then 'storage ' || case a.attstorage
        when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end end,
      case when a.attcompression <> '' then 'compression ' || a.attcompression::text end,
      'options ' || array_to_string(a.attoptions, ', '), 'access ' || a.attacl::text
    ) as text
    from pg_attribute a join pg_type t on t.oid = a.atttypid join pg_class c on c.oid = a.attrelid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p') and c.oid in (select c.oid from ${relations})
      and not exists (
        select 1 from pg_inherits h join pg_attribute b on b.attrelid = h.inhparent where h.inhrelid = c.oid
          and (b.attnum, b.attname, b.atttypid, b.attcollation, b.attnotnull, b.atthasdef, b.attstorage)
            = (a.attnum, a.attname, a.atttypid, a.attcollation, a.attnotnull, a.atthasdef, a.attstorage)
      )`,
  // PostgreSQL 18 also lists each NOT NULL as a constraint, so constraints of the type `n` are excluded.
  `select n.conrelid::regclass::text as owner, 10000 as place,
      '  constraint ' || n.conname || ' ' || pg_get_constraintdef(n.oid) as text
    from pg_constraint n where n.connamespace = 'public'::regnamespace and n.contype <> 'n'
      and n.conrelid in (select c.oid from ${relations})`,
  `select i.indrelid::regclass::text as owner, 20000 as place, '  ' || pg_get_indexdef(i.indexrelid) as text
    from pg_index i where i.indexrelid in (select c.oid from ${relations})
      and not exists (select 1 from pg_constraint n where n.conindid = i.indexrelid and n.contype in ('p', 'u'))`,
  `select t.tgrelid::regclass::text as owner, 30000 as place, '  ' || pg_get_triggerdef(t.oid) as text
    from pg_trigger t where not t.tgisinternal`,
  // Only the digest of a function's body is compared, because the migration contains the body.
  `select p.proname || '(' || pg_get_function_arguments(p.oid) || ')' as owner, 0 as place, concat_ws(' ',
      case p.prokind when 'f' then 'function' else 'kind ' || p.prokind::text end,
      p.proname || '(' || pg_get_function_arguments(p.oid) || ')', 'returns ' || pg_get_function_result(p.oid),
      (select lanname from pg_language l where l.oid = p.prolang),
      case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
      case when p.proisstrict then 'strict' end, case when p.prosecdef then 'security definer' end,
      case when p.proparallel <> 'u' then 'parallel ' || p.proparallel::text end, 'cost ' || p.procost,
      'set ' || array_to_string(p.proconfig, ', '), 'access ' || p.proacl::text, 'body ' || md5(p.prosrc)
    ) as text
    from pg_proc p where p.pronamespace = 'public'::regnamespace`,
  // Objects of the following kinds do not occur in any migration so far.
  `select o.kind as owner, 0 as place, o.kind || ' ' || o.name as text from (
      select 'extension' as kind, extname::text as name from pg_extension where extname <> 'plpgsql'
      union all select 'policy', polname from pg_policy
      union all select 'statistics', stxname from pg_statistic_ext
      union all select 'rule', rulename from pg_rewrite where rulename <> '_RETURN' and ev_class >= 16384
      union all select 'type', typname from pg_type
        where typnamespace = 'public'::regnamespace and typtype in ('d', 'e')
      union all select 'schema', nspname from pg_namespace
        where oid >= 16384 and nspname !~ '^(pg_|public$)'
      union all select 'comment', description from pg_description where objoid >= 16384
      union all select 'default privileges', defaclacl::text from pg_default_acl
    ) o`
]

/**
 * Replaces the months in the names of partitions by `MONTH0`, `MONTH1` and so on, because the months depend on the date
 * of the migration.
 */
const withoutDates = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const months = lines.flatMap((line) => line.match(/(?<=credit_reservations_|TO \()\d{6}/g) ?? [])
  const ordered = [...new Set(months)].sort()
  return lines.map((line) =>
    line.includes("credit_reservations_")
      ? line.replaceAll(/(?<!\d)\d{6}(?!\d)/g, (month) => `MONTH${ordered.indexOf(month)}`)
      : line
  )
}

export const describeSchema = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  const lines = yield* sql.unsafe<{ readonly text: string }>(
    `select text from (${queries.join("\n union all ")}) l order by owner collate "C", place, text collate "C"`
  ).unprepared
  const tables = yield* sql.unsafe<{ readonly name: string }>(
    `select c.relname as name from ${relations} and c.relkind in ('r', 'p') order by 1`
  ).unprepared
  const rows: Array<string> = []
  for (const { name } of tables) {
    const [row] = yield* sql.unsafe<{ readonly count: number }>(`select count(*)::integer as count from ${name}`)
      .unprepared
    if (row!.count > 0) rows.push(`rows of ${name}: ${row!.count}`)
  }
  return withoutDates([...lines.map(({ text }) => text), ...rows])
})
