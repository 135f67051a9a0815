import { withClient } from '../../cli/database.ts'

/**
 * Everything in the catalog about the schema public: tables with their owners and grants, columns with types, nullability and
 * defaults, constraints, indexes and functions. The order of columns is left out, because a migration can only append.
 */
export function readCatalog(url: string): Promise<unknown> {
  return withClient(url, async (client) => {
    const catalog: Record<string, unknown> = {}
    for (const [what, query] of Object.entries(QUERIES)) catalog[what] = (await client.query(query)).rows
    return catalog
  })
}

const OF_PUBLIC = "relnamespace = 'public'::regnamespace"

const QUERIES = {
  tables: `select relname, relkind, pg_get_userbyid(relowner) as owner, relacl::text, reloptions, relrowsecurity
    from pg_class where ${OF_PUBLIC} and relkind <> 'i' order by relname`,
  columns: `select c.relname, a.attname, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull, a.attidentity,
      a.attgenerated, a.attacl::text, pg_get_expr(d.adbin, d.adrelid) as value
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where c.${OF_PUBLIC} and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped order by c.relname, a.attname`,
  constraints: `select conrelid::regclass::text as relname, conname, contype, convalidated, pg_get_constraintdef(oid) as definition
    from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2`,
  indexes: `select c.relname, i.indisvalid, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid where c.${OF_PUBLIC} order by 1`,
  functions: "select proname from pg_proc where pronamespace = 'public'::regnamespace order by 1",
  triggers: `select t.tgname, c.relname from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.${OF_PUBLIC} and not t.tgisinternal order by 1, 2`,
  schema: "select pg_get_userbyid(nspowner) as owner, nspacl::text from pg_namespace where nspname = 'public'",
}
