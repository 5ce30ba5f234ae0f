/*
 * pg_compat.h - what differs between PostgreSQL 14 and 18.
 *
 * Only differences that several files meet stand here; the others stand beside their one use.
 */
#ifndef PG_COMPAT_H
#define PG_COMPAT_H

#if PG_VERSION_NUM < 140000
#error "hbscore needs PostgreSQL 14 or newer"
#endif

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* Stands before a declaration; its name since 18. */
#ifndef pg_noreturn
#define pg_noreturn pg_attribute_noreturn()
#endif

/* An error of an input function. Since 16 its caller may ask for a soft error; then the macro returns from the function. */
#if PG_VERSION_NUM >= 160000
#define hbpg_soft_error(fcinfo, code, text) \
	ereturn((fcinfo)->context, (Datum) 0, (errcode(code), errmsg_internal("%s", text)))
#else
#define hbpg_soft_error(fcinfo, code, text) ereport(ERROR, (errcode(code), errmsg_internal("%s", text)))
#endif

/* 14 has only the function that warns of placeholders; since 15 the prefix can be reserved. */
#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(name) EmitWarningsOnPlaceholders(name)
#endif

/* Since 16 one function checks the rights on objects of every kind. */
#if PG_VERSION_NUM >= 160000
#define hbpg_schema_aclcheck(schema, user, mode) object_aclcheck(NamespaceRelationId, schema, user, mode)
#define hbpg_table_ownercheck(table, user) object_ownercheck(RelationRelationId, table, user)
#else
#define hbpg_table_ownercheck(table, user) pg_class_ownercheck(table, user)
#define hbpg_schema_aclcheck(schema, user, mode) pg_namespace_aclcheck(schema, user, mode)
#endif

#endif							/* PG_COMPAT_H */
