export default { async fetch(r: Request, env: any) { return Response.json({ url: r.url, host: r.headers.get('host'), cf: r.cf, h: [...r.headers], env }) } }
