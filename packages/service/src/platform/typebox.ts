export * from '@firmquote/api/typebox';
