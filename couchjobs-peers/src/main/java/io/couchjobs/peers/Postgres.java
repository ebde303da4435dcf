package io.couchjobs.peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** An empty schema of PostgreSQL, and its connections. Thread-safe. */
final class Postgres implements AutoCloseable {
    private static final int CONNECTIONS = 50;

    private final HikariDataSource source;

    Postgres(String jdbcUrl) throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setMaximumPoolSize(CONNECTIONS);
        this.source = new HikariDataSource(config);
        clear();
    }

    HikariDataSource source() {
        return source;
    }

    void execute(String... statements) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    /** Returns whether a query has no row. */
    boolean isEmpty(String query) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            return !rows.next();
        }
    }

    private void clear() throws SQLException {
        execute("drop schema public cascade", "create schema public");
    }

    @Override
    public void close() throws SQLException {
        clear();
        source.close();
    }
}
